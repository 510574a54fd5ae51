import { formatLogLine } from './format-log-line.ts'

it('shows level, message and fields of a log entry', () => {
  const line = JSON.stringify({ level: 40, pid: 7, hostname: 'h', name: 'edge', msg: 'slow', request_id: 'r1', ms: 12 })
  expect(formatLogLine(line)).toBe('WARN slow request_id=r1 ms=12')
})

it('shows an error by its message', () => {
  const line = JSON.stringify({ level: 50, msg: 'failed', err: { type: 'Error', message: 'no route', stack: 'long' } })
  expect(formatLogLine(line)).toBe('ERROR failed err="no route"')
})

it.each(['LOG:  ready', '{not json', '{"a":', ''])('returns %j unchanged', (line) => {
  expect(formatLogLine(line)).toBe(line)
})
