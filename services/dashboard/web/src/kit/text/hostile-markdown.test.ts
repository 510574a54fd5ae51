import { linkAsText, withVisibleDirection } from './hostile-markdown.ts'

it.each([
  ['https://evil.example/a?q=secret', ' [evil.example]'],
  ['https://good.example@evil.example/', ' [evil.example]'],
  ['javascript:alert(1)', ' [javascript: link]'],
  ['DATA:text/html,x', ' [data: link]'],
  ['/settings', ' [link]'],
  ['', ''],
  [undefined, ''],
])('shows the link %s as text', (href, text) => {
  expect(linkAsText(href)).toBe(text)
})

it('shows marks that turn the direction of the text', () => {
  expect(withVisibleDirection('a\u202eb')).toBe('a[U+202E]b')
})
