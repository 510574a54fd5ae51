import { mosaicOf } from './mosaic.ts'

it('covers the square, with areas by weight', () => {
  const boxes = mosaicOf({ tp: 40, fn: 10, fp: 15, tn: 35 })
  expect(boxes.reduce((area, { width, height }) => area + width * height, 0)).toBeCloseTo(1)
  expect(boxes.map(({ cell, share }) => [cell, share])).toEqual([
    ['tp', 0.4],
    ['fn', 0.1],
    ['fp', 0.15],
    ['tn', 0.35],
  ])
  expect(boxes[0]).toMatchObject({ x: 0, y: 0, width: 0.5, height: 0.8 })
})

it('keeps rare cells large enough to be seen', () => {
  for (const { width, height } of mosaicOf({ tp: 1, fn: 0, fp: 0, tn: 999 })) {
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(0.12)
  }
})

it('draws equal cells when nothing is counted', () => {
  expect(mosaicOf({ tp: 0, fn: 0, fp: 0, tn: 0 }).map(({ share, width }) => [share, width])).toEqual([
    ...[
      [0, 0.5],
      [0, 0.5],
      [0, 0.5],
      [0, 0.5],
    ],
  ])
})
