"""What every room's store uses: collections, documents, leases, conditional writes, retries."""
