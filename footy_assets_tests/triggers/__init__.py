"""Tests of triggers."""
