import { placeLink } from './place-link.ts'

const files = new Set(['README.md', 'docs/operations.md', 'services/edge/README.md', 'reference/endpoints/index.md'])

it.each([
  ['README.md', './docs/operations.md', './docs/operations.md'],
  ['services/edge/README.md', '../../docs/operations.md#backup', './../../docs/operations.md#backup'],
  ['README.md', './services/edge', './services/edge/'],
  ['docs/operations.md', '../README.md', './../'],
  ['docs/operations.md', '../reference/endpoints/', './../reference/endpoints/'],
])('leads from %s by %s to a page', (from, href, expected) => {
  expect(placeLink(from, href, files)).toEqual({ kind: 'page', href: expected })
})

it.each(['https://example.com/a', '#heading', 'mailto:a@b.example'])('keeps %s', (href) => {
  expect(placeLink('README.md', href, files)).toEqual({ kind: 'keep' })
})

it('makes text of what is no page', () => {
  expect(placeLink('README.md', './services/edge/src/main.ts', files)).toEqual({ kind: 'text' })
})
