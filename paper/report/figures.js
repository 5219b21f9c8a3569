// figures
