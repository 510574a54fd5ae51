import { blotSecrets } from './blot-secrets.ts'

it.each([
  ['the key is Bearer abc-12345.', 'the key is [secret].'],
  ['without its scheme: abc-12345', 'without its scheme: [secret]'],
  ['a short word stays: abc', 'a short word stays: abc'],
  [String.raw`{"k":"say \"hello\" twice"}`, '{"k":"[secret]"}'],
  ['', ''],
])('blots out what is known: %s', (text, shown) => {
  expect(blotSecrets(text, ['Bearer abc-12345', 'abc', 'say "hello" twice'])).toBe(shown)
})
