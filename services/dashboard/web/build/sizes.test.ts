import { type BuiltChunk, sizeProblems, sizesOf } from './sizes.ts'

const chunk = (fileName: string, bytes: number, more: Partial<BuiltChunk> = {}): BuiltChunk => ({
  fileName,
  bytes,
  isEntry: false,
  imports: [],
  modules: [],
  ...more,
})

it('counts what the first page imports at once, and not what it imports later', () => {
  const sizes = sizesOf(
    [
      chunk('index.js', 100, { isEntry: true, imports: ['shared.js'] }),
      chunk('shared.js', 10),
      chunk('home.js', 5, { imports: ['chart.js'], modules: ['/src/features/home/home-page.tsx'] }),
      chunk('chart.js', 1),
      chunk('logs.js', 70_000),
    ],
    3,
  )
  expect(sizes).toEqual([
    { label: 'What the first page loads', bytes: 116, maxBytes: 200_000 },
    { label: 'All styles', bytes: 3, maxBytes: 40_000 },
    { label: 'logs.js', bytes: 70_000, maxBytes: 60_000 },
  ])
  expect(sizeProblems(sizes)).toEqual(['logs.js: 70000 bytes compressed, of 60000 allowed.'])
})

it('allows the editor more', () => {
  const editor = chunk('editor.js', 120_000, { modules: ['/node_modules/@codemirror/view/dist/index.js'] })
  expect(sizeProblems(sizesOf([editor], 0))).toEqual([])
})
