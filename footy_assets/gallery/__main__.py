"""`python -m footy_assets.gallery`: the web app alone, as `footy web` and `footy up` run it."""

from footy_assets.gallery.serving import serve
from footy_assets.logs import configure_logs
from footy_assets.private_files import make_private_by_default
from footy_assets.settings import load_settings

if __name__ == "__main__":
    make_private_by_default()
    configured = load_settings()
    configure_logs(configured.log_level)
    serve(configured)
