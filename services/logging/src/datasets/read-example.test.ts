import { readExample } from './read-example.ts'

const withContent = (json: string) =>
  `{"messages":[{"role":"user","content":[{"type":"x","value":${json}}]},{"role":"assistant","content":"Yes"}]}`
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
const read = (json: string) => readExample({ workspaceId: 'w', format: 'chat', text: withContent(json), path: [] })

it.each([1_000, 4_000, 6_000, 1_000_000])('refuses an example of %d levels', (levels) => {
  expect(read(nested(levels))).toEqual({ kind: 'too-deep' })
})

it('reads an example with numbers as they were written', () => {
  expect(read(`${'['.repeat(200)}1.0${']'.repeat(200)}`)).toMatchObject({
    kind: 'read',
    text: expect.stringContaining('[1.0]'),
  })
})

it('refuses an example with too many values', () => {
  expect(read(`[${'0,'.repeat(350_000)}0]`)).toEqual({ kind: 'too-large' })
})
