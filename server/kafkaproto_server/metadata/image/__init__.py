"""The cluster's metadata at one offset: the image, how records change it, and how it is written as records again."""
