import { drawnItems } from './drawn-item.ts'

it('keeps the order of answers and runs', () => {
  const drawn = [
    { log_id: 'log_1', trace_id: 'run-1' },
    { log_id: null, trace_id: 'run-2' },
    { log_id: null, trace_id: null },
  ]
  expect(drawnItems(drawn)).toEqual([
    { unit: 'request', log_id: 'log_1' },
    { unit: 'trace', trace_id: 'run-2' },
  ])
})
