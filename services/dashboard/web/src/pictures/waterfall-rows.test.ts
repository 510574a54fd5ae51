import { rowsInSight, type WaterfallSpan, waterfallBars } from './waterfall-rows.ts'

const span = (startMs: number, endMs: number): WaterfallSpan => ({
  id: `${startMs}`,
  label: 'step',
  startMs,
  endMs,
  depth: 0,
  isCritical: false,
  hasFailed: false,
})

it('places spans in the time of the trace', () => {
  expect(waterfallBars([span(100, 300), span(150, 200), span(300, 300)])).toEqual([
    { from: 0, share: 1 },
    { from: 0.25, share: 0.25 },
    { from: 1, share: 0 },
  ])
})

it('places a trace without duration', () => {
  expect(waterfallBars([span(5, 5)])).toEqual([{ from: 0, share: 0 }])
})

it('draws only the rows in sight', () => {
  expect(rowsInSight(0, 400, 20, 2_000)).toEqual([0, 25])
  expect(rowsInSight(20_000, 400, 20, 2_000)).toEqual([995, 1_025])
  expect(rowsInSight(0, 400, 20, 3)).toEqual([0, 3])
})
