import { CliError } from './cli-error.ts'
import { keyPrefixOf, parseAmount, parseEmail, parseId, parseSlug, parseText } from './parse-options.ts'

it.each([
  ['25.00', 25_000_000_000n],
  ['0.000001', 1_000n],
  ['7', 7_000_000_000n],
  ['1000000000', 10n ** 18n],
])('reads the amount %s', (text, nano) => {
  expect(parseAmount(text)).toBe(nano)
})

it.each([
  '0',
  '0.00',
  '-5',
  '1e3',
  '$5',
  '5,00',
  '',
  ' 5',
  '0.0000001',
  '1000000000.01',
  '99999999999999999999',
  'NaN',
])('refuses the amount "%s"', (text) => {
  expect(() => parseAmount(text)).toThrow('Expected US dollars such as 25.00')
})

it.each(['a', 'acme', 'acme-2', '0', 'a'.repeat(40)])('accepts the slug %s', (slug) => {
  expect(parseSlug(slug)).toBe(slug)
})

it.each(['', 'Acme', '-acme', 'acme-', 'a b', 'a/b', 'ä', 'a'.repeat(41), 'acme\n'])('refuses the slug %j', (slug) => {
  expect(() => parseSlug(slug)).toThrow('Expected 1 to 40 lower-case letters')
})

it('converts e-mail addresses to lower case', () => {
  expect(parseEmail('Ada@Example.COM')).toBe('ada@example.com')
})

it.each(['', 'ada', 'ada@', '@example.com', 'ada@example', 'a da@example.com', 'ada@example.com\nx'])(
  'refuses the e-mail address %j',
  (email) => {
    expect(() => parseEmail(email)).toThrow('Expected an e-mail address.')
  },
)

it('trims texts and accepts any language', () => {
  expect(parseText('  Größe 東京 🚀 ')).toBe('Größe 東京 🚀')
})

it.each(['', '   ', 'a\u0000b', 'a\nb', 'a\u202eb', 'x'.repeat(201)])('refuses the text %j', (text) => {
  expect(() => parseText(text)).toThrow('Expected 1 to 200 printable characters.')
})

it('accepts an id in upper or lower case, and nothing else', () => {
  expect(parseId('0195A2B0-0000-7000-8000-000000000001')).toBe('0195a2b0-0000-7000-8000-000000000001')
  expect(() => parseId('17')).toThrow('Expected an id, as list-keys prints it.')
})

it('creates keys with the brand word of the deployment', () => {
  expect([keyPrefixOf({}), keyPrefixOf({ BRAND_WORD: '' }), keyPrefixOf({ BRAND_WORD: 'Acme' })]).toEqual([
    'sk_svc_',
    'sk_svc_',
    'sk_acme_',
  ])
  expect(() => keyPrefixOf({ BRAND_WORD: 'no good' })).toThrow(CliError)
})
