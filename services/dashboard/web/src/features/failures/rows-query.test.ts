import { rowsQueryOf } from './rows-query.ts'

const from = '2026-11-20T10:00:00.000Z'

it('filters rows by the group that was opened', () => {
  expect(rowsQueryOf('cause', 'no_credit', from)).toEqual({ from })
  expect(rowsQueryOf('model', 'sim/large', from)).toEqual({ from, model: 'sim/large' })
  expect(rowsQueryOf('key', 'k', from)).toEqual({ from, key_id: 'k' })
  expect(rowsQueryOf('day', '2026-11-24', from)).toEqual({
    from: '2026-11-24T00:00:00.000Z',
    to: '2026-11-25T00:00:00.000Z',
  })
  expect(rowsQueryOf('day', 'no day', from)).toEqual({ from })
})
