/* The picture side of the heat example: which cells are hot at the beginning, and a PNG file of temperatures. Nothing
 * here knows about PEs. */
#ifndef HEAT_PICTURE_H
#define HEAT_PICTURE_H

/* Temperature, 0 to 1, of the cell (x, y) of a plate of width x height cells before anything has flowed. */
double first_temperature(int x, int y, int width, int height);

/* The shade (0 cold to 255 hot) that shows a temperature. */
unsigned char shade_of(double temperature);

/* Writes shades, row after row from the top, as a PNG file. Returns 0, or -1 with errno set. */
int write_png(const char* file_name, const unsigned char* shades, int width, int height);

#endif
