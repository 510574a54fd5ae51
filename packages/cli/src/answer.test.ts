import { formatTable, printAnswer } from './answer.ts'
import { recordingIo } from './recording-io.fixture.ts'

const answer = { json: { key: 'k', revoked_at: null }, text: 'k', note: 'shown once' }

it('prints the text on standard output and the note on standard error', () => {
  const io = recordingIo()

  printAnswer(answer, false, io)

  expect([io.out(), io.err()]).toEqual(['k\n', 'shown once\n'])
})

it('prints only JSON with --json', () => {
  const io = recordingIo()

  printAnswer(answer, true, io)

  expect(JSON.parse(io.out())).toEqual({ key: 'k', revoked_at: null })
  expect(io.err()).toBe('')
})

it('aligns the columns of a table and leaves no blanks at line ends', () => {
  const rows = [
    ['ID', 'NAME', 'AT'],
    ['1', 'longer', '-'],
    ['200', 'x', ''],
  ]

  expect(formatTable(rows)).toBe('ID   NAME    AT\n1    longer  -\n200  x')
})
