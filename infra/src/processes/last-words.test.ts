import { lastWords } from './last-words.ts'

it('begins with the error of a Node process and omits its stack', () => {
  const lines = [
    '{"level":30,"time":0,"msg":"starting"}',
    'file:///app/config.ts:12',
    '  throw new Error(',
    'Error: Invalid environment:',
    '✖ expected a URL → at DATABASE_URL',
    '    at loadConfig (file:///app/config.ts:12:9)',
    '',
    'Node.js v24.21.0',
  ]
  expect(lastWords(lines)).toEqual([
    'Error: Invalid environment:',
    '✖ expected a URL → at DATABASE_URL',
    'at file:///app/config.ts:12',
  ])
})

it('finds the fatal line in the log of Postgres', () => {
  const fatal = '2026-11-21 14:22:55 UTC [1] FATAL:  could not create lock file'
  expect(lastWords(['LOG:  starting', fatal, 'LOG:  database system is shut down'])[0]).toBe(fatal)
})

it('falls back to the last lines', () => {
  expect(lastWords(['one', 'two', '', 'three'])).toEqual(['one', 'two', 'three'])
})
