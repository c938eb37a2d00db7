/* The picture side of the heat example. The PNG is written by hand, uncompressed, so that the example needs no library
 * besides OpenSHMEM. */
#include "picture.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the hot shapes ---- */

/* Five by seven blocks for each letter, one string per row of blocks. */
static const char* const word[7] = {
    "#...#.#####.#####.#####", "#...#.#.....#.......#..", "#...#.#.....#.......#..", "#.#.#.####..####....#..",
    "#.#.#.#.....#.......#..", "##.##.#.....#.......#..", "#...#.#####.#.......#..",
};
#define WORD_COLUMNS 23
#define WORD_ROWS 7

double first_temperature(int x, int y, int width, int height) {
  /* Positions as fractions of the height, from the middle of the plate, so that the shapes keep their form. */
  double across = (x + 0.5 - width / 2.0) / height;
  double down = (y + 0.5) / height - 0.5;

  /* The word stands in a band above the middle. */
  double block = 0.052;
  double column = across / block + WORD_COLUMNS / 2.0;
  double line = (down + 0.115) / block + WORD_ROWS / 2.0;
  if (column >= 0 && column < WORD_COLUMNS && line >= 0 && line < WORD_ROWS) {
    return word[(int)line][(int)column] == '#' ? 1.0 : 0.0;
  }

  /* Below it a row of discs, each hotter and larger than the one before, the last one within a ring. */
  for (int k = 0; k < 6; k++) {
    double from_centre = hypot(across + 0.56 - 0.2 * k, down - 0.29);
    if (from_centre < 0.03 + 0.006 * k) return 0.5 + 0.1 * k;
  }
  double from_last = hypot(across - 0.44, down - 0.29);
  if (from_last > 0.095 && from_last < 0.125) return 0.8;
  return 0.0;
}

/* ---- colours ---- */

/* From night over violet and red to white heat; between these points the colours are mixed. */
static const unsigned char glow[][3] = {{4, 4, 22},    {38, 12, 84},   {101, 21, 110}, {159, 42, 99},
                                        {212, 72, 66}, {245, 125, 21}, {250, 193, 39}, {252, 255, 204}};
#define GLOW_STEPS (sizeof glow / sizeof glow[0] - 1)

static void colour_of(int shade, unsigned char rgb[3]) {
  double at = shade / 255.0 * GLOW_STEPS;
  size_t below = (size_t)at < GLOW_STEPS ? (size_t)at : GLOW_STEPS - 1;
  double part = at - (double)below;
  for (int k = 0; k < 3; k++) {
    rgb[k] = (unsigned char)((1 - part) * glow[below][k] + part * glow[below + 1][k] + 0.5);
  }
}

unsigned char shade_of(double temperature) {
  if (temperature <= 0) return 0;
  if (temperature >= 1) return 255;
  return (unsigned char)(255 * temperature + 0.5);
}

/* ---- PNG ---- */

static void put_number(unsigned char* to, uint32_t number) { /* most significant byte first */
  for (int k = 0; k < 4; k++) to[k] = (unsigned char)(number >> (24 - 8 * k));
}

static uint32_t crc32_of(const unsigned char* bytes, size_t n) {
  uint32_t crc = 0xffffffffu;
  for (size_t i = 0; i < n; i++) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  return ~crc;
}

/* A chunk is its length, its kind and its data, and a checksum of kind and data. `bytes` has 8 free bytes before the
 * data and 4 behind it for these. */
static int write_chunk(FILE* file, const char* kind, unsigned char* bytes, size_t length) {
  put_number(bytes, (uint32_t)length);
  memcpy(bytes + 4, kind, 4);
  put_number(bytes + 8 + length, crc32_of(bytes + 4, length + 4));
  return fwrite(bytes, 1, length + 12, file) == length + 12 ? 0 : -1;
}

/* The pixels as PNG wants them: each row behind a filter byte (0: none), and all of it in a zlib stream, whose blocks
 * of at most 65535 bytes may be stored as they are. Returns the stream's length. */
static size_t zlib_stored(unsigned char* to, const unsigned char* shades, int width, int height) {
  size_t row = (size_t)width + 1, total = row * (size_t)height, length = 0;
  uint32_t a = 1, b = 0; /* the stream's checksum, Adler-32 */
  to[length++] = 0x78;
  to[length++] = 0x01;
  for (size_t i = 0; i < total; i++) {
    if (i % 65535 == 0) {
      size_t block = total - i < 65535 ? total - i : 65535;
      to[length++] = block == total - i; /* the last block says so */
      to[length++] = block & 0xff;
      to[length++] = block >> 8 & 0xff;
      to[length++] = ~block & 0xff;
      to[length++] = ~block >> 8 & 0xff;
    }
    unsigned char byte = i % row == 0 ? 0 : shades[i / row * (size_t)width + i % row - 1];
    to[length++] = byte;
    a = (a + byte) % 65521;
    b = (b + a) % 65521;
  }
  put_number(to + length, b << 16 | a);
  return length + 4;
}

int write_png(const char* file_name, const unsigned char* shades, int width, int height) {
  size_t pixels = ((size_t)width + 1) * (size_t)height;
  unsigned char* chunk = malloc(pixels + pixels / 65535 * 5 + 1024);
  FILE* file = chunk ? fopen(file_name, "wb") : NULL;
  if (!file) {
    free(chunk);
    return -1;
  }
  unsigned char* data = chunk + 8;
  int failed = fwrite("\x89PNG\r\n\x1a\n", 1, 8, file) != 8;

  put_number(data, (uint32_t)width);
  put_number(data + 4, (uint32_t)height);
  memcpy(data + 8, "\x08\x03\x00\x00\x00", 5); /* 8 bits a pixel, which are the number of a colour in the palette */
  failed |= write_chunk(file, "IHDR", chunk, 13);

  for (int shade = 0; shade < 256; shade++) colour_of(shade, data + 3 * shade);
  failed |= write_chunk(file, "PLTE", chunk, 3 * 256);

  failed |= write_chunk(file, "IDAT", chunk, zlib_stored(data, shades, width, height));
  failed |= write_chunk(file, "IEND", chunk, 0);
  free(chunk);
  return fclose(file) == 0 && !failed ? 0 : -1;
}
