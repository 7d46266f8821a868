"""What the web app and the Dagster UI are served with: access control and limits of connections."""
