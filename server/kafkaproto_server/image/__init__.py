"""The cluster's metadata at one offset: the image, how records change it, how it becomes records again."""
