import { type Tried, withTable } from './compatibility-table.ts'

const document = 'Before.\n\n<!-- written by `npm run compatibility` -->\n\nold\n\n<!-- end -->\n\nAfter.\n'
const tried: readonly Tried[] = [
  {
    client: 'openai',
    language: 'Python',
    versions: 'openai 3.54.0',
    cases: [
      { case: 'chat (sim)', problem: null },
      { case: 'files.list', problem: 'A`b|\nc' },
    ],
  },
  { client: 'ai', language: 'JavaScript', versions: 'ai 7.0.0', cases: [{ case: 'stream', problem: null }] },
]

it('writes what passed and failed between its marks, and nothing else', () => {
  expect(withTable(document, tried, '2026-11-24').split('\n')).toEqual([
    'Before.',
    '',
    '<!-- written by `npm run compatibility` -->',
    '',
    'Measured on 2026-11-24 with the newest versions, against a fleet with the simulated provider: 2 of 3 cases pass.',
    '',
    '| client          | versions      | passed | failed     |',
    '| --------------- | ------------- | ------ | ---------- |',
    '| openai (Python) | openai 3.54.0 | 1 of 2 | files.list |',
    '| ai (JavaScript) | ai 7.0.0      | 1 of 1 | –          |',
    '',
    'What failed:',
    '',
    '- openai (Python), files.list: `A b c`',
    '',
    '<!-- end -->',
    '',
    'After.',
    '',
  ])
})

it('refuses a document without the marks', () => {
  expect(() => withTable('nothing', tried, '2026-11-24')).toThrow('needs the lines')
})
