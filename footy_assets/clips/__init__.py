"""From a post to a clip in S3: download, validate, deduplicate, publish, rank."""
