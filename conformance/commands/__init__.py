"""Starting the commands of the suite."""
