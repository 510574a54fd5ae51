import { reportLines } from './report-lines.ts'

const report = {
  examples: 1_200,
  used: 1_100,
  validation: 0,
  too_long: 40,
  empty: 0,
  invalid: 0,
  first_invalid: null,
  duplicates: 3,
  leaked_from_eval: 0,
  tokens: 240_000,
  p50_tokens: 200,
  p95_tokens: 800,
  stop_token_trained: null,
  template_sha256: null,
}

it('names what is wrong only where something is', () => {
  expect(reportLines(report, false)).toEqual([
    ['Examples', '1,200'],
    ['Trained on', '1,100'],
    ['To validate', 'none'],
    ['Too long', '40'],
    ['Equal to an earlier one', '3'],
    ['Tokens, once', 'about 240,000'],
    ['Half have at most', 'about 200 tokens'],
    ['95 % have at most', 'about 800 tokens'],
  ])
})

it('says exact numbers as they are', () => {
  expect(reportLines({ ...report, validation: 60 }, true)).toContainEqual(['To validate', '60'])
  expect(reportLines(report, true)).toContainEqual(['Tokens, once', '240,000'])
})
