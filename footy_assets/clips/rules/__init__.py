"""Pure rules of clips: duplicates, better copies, ranks and object keys."""
