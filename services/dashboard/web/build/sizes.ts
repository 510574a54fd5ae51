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

const budgets = { firstLoad: 240_000, css: 40_000, chunk: 60_000, editor: 130_000 } as const

/** The page that most visits begin with. */
const firstPage = '/features/home/home-page.tsx'
const editorPackage = '/@codemirror/view/'

/** The sizes that have a budget: what the first page loads, all styles, and each chunk that is loaded later. */
export function sizesOf(chunks: readonly BuiltChunk[], cssBytes: number): readonly Size[] {
  const first = withImports(
    chunks.filter(({ isEntry, modules }) => isEntry || modules.some((id) => id.endsWith(firstPage))),
    chunks,
  )
  const later = chunks.filter((chunk) => !first.has(chunk))
  return [
    {
      label: 'What the first page loads',
      bytes: [...first].reduce((sum, { bytes }) => sum + bytes, 0),
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

/** Files with all that they import at once; what is imported later does not count. */
function withImports(start: readonly BuiltChunk[], all: readonly BuiltChunk[]): ReadonlySet<BuiltChunk> {
  const found = new Set(start)
  for (const { imports } of found) {
    for (const each of all) if (imports.includes(each.fileName)) found.add(each)
  }
  return found
}
