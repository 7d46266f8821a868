"""OpenLigaDB: German leagues, typed in by volunteers; needs no key."""
