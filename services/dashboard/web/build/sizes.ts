import { withImports } from './with-imports.ts'

/** A file of scripts, as the build writes it. */
export interface BuiltChunk {
  readonly fileName: string
  /** Compressed by gzip. */
  readonly bytes: number
  readonly isEntry: boolean
  /** Names of the files that it imports at once. */
  readonly imports: readonly string[]
  /** Paths of the modules in it. */
  readonly modules: readonly string[]
}

export interface Size {
  readonly label: string
  readonly bytes: number
  readonly maxBytes: number
}

const budgets = { firstLoad: 200_000, css: 40_000, chunk: 60_000, editor: 130_000 } as const

/** The page that most visits begin with. */
export const firstPage = '/features/home/home-page.tsx'
const editorPackage = '/@codemirror/view/'

/** The sizes that have a budget: what the first page loads, all styles, and each chunk that is loaded later. */
export function sizesOf(chunks: readonly BuiltChunk[], cssBytes: number): readonly Size[] {
  const first = withImports(
    chunks
      .filter(({ isEntry, modules }) => isEntry || modules.some((id) => id.endsWith(firstPage)))
      .map(({ fileName }) => fileName),
    (name) => chunks.find(({ fileName }) => fileName === name)?.imports ?? [],
  )
  const isFirst = ({ fileName }: BuiltChunk) => first.has(fileName)
  const later = chunks.filter((chunk) => !isFirst(chunk))
  return [
    {
      label: 'What the first page loads',
      bytes: chunks.filter(isFirst).reduce((sum, { bytes }) => sum + bytes, 0),
      maxBytes: budgets.firstLoad,
    },
    { label: 'All styles', bytes: cssBytes, maxBytes: budgets.css },
    ...later.map(({ fileName, bytes, modules }) => ({
      label: fileName,
      bytes,
      maxBytes: modules.some((id) => id.includes(editorPackage)) ? budgets.editor : budgets.chunk,
    })),
  ]
}

/** A sentence for each size over its budget. */
export function sizeProblems(sizes: readonly Size[]): readonly string[] {
  return sizes
    .filter(({ bytes, maxBytes }) => bytes > maxBytes)
    .map(({ label, bytes, maxBytes }) => `${label}: ${bytes} bytes compressed, of ${maxBytes} allowed.`)
}
