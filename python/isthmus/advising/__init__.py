"""What an application that is only described takes on each platform, and which choice is the best."""
