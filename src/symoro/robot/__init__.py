"""Robot descriptions (frozen data), their kinematic structure, and the file formats that contain them."""
