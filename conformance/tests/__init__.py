"""Tests of the suite itself, and every case as a test."""
