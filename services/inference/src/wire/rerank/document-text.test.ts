import { documentText } from './document-text.ts'

describe('documentText', () => {
  it('is the text itself without rank fields, or with text alone', () => {
    expect(documentText('Tea: hot', null)).toBe('Tea: hot')
    expect(documentText({ title: 'a', text: 'Tea: hot' }, undefined)).toBe('Tea: hot')
    expect(documentText({ title: 'a', text: 'Tea: hot' }, ['text'])).toBe('Tea: hot')
  })

  it('is null when there is nothing to rank', () => {
    expect(documentText({}, null)).toBeNull()
    expect(documentText({ text: 7 }, null)).toBeNull()
    expect(documentText({ title: null }, ['title', 'toString'])).toBeNull()
    expect(documentText('Tea', ['title'])).toBeNull()
  })

  it('is YAML of the rank fields in their order', () => {
    const document = { text: 'Hot', title: 'Tea', extra: 'x', year: 1908, tags: ['a', 'b'], open: true }
    expect(documentText(document, ['title', 'text', 'year', 'tags', 'open', 'gone'])).toBe(
      'title: Tea\ntext: Hot\nyear: 1908\ntags: ["a","b"]\nopen: true',
    )
    expect(documentText('Hot', ['title', 'text'])).toBe('text: Hot')
  })

  it.each<[string, string]>([
    ['Tea, and (hot) coffee: yes', 'k: "Tea, and (hot) coffee: yes"'],
    ['12:30 train', 'k: "12:30 train"'],
    ['at 12:30', 'k: at 12:30'],
    ['true', 'k: "true"'],
    ['No', 'k: "No"'],
    ['1908', 'k: "1908"'],
    ['- item', 'k: "- item"'],
    ['a #tag', 'k: "a #tag"'],
    ['a\nb: c\n\nd', 'k: |-\n  a\n  b: c\n  \n  d'],
    ['a\n', 'k: "a\\n"'],
    [' a\nb', 'k: " a\\nb"'],
    ['a\tb\nc', 'k: "a\\tb\\nc"'],
    ['', 'k: ""'],
    ['Überraschung für 茶', 'k: Überraschung für 茶'],
  ])('writes %j as YAML that is read back unchanged', (value, yaml) => {
    expect(documentText({ k: value }, ['k'])).toBe(yaml)
  })

  it('quotes a key that needs it', () => {
    expect(documentText({ 'a: b': 'c' }, ['a: b'])).toBe('"a: b": c')
  })
})
