"""The hosts of clips that posts link to: which there are, and how a clip's file is found."""
