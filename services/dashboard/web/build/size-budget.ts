import { gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'
import { type BuiltChunk, sizeProblems, sizesOf } from './sizes.ts'

/** Fails the build when a file is larger than its budget. */
export function sizeBudget(): Plugin {
  return {
    name: 'size-budget',
    generateBundle(_options, bundle) {
      const outputs = Object.values(bundle)
      const chunks = outputs.flatMap((output): BuiltChunk[] => {
        if (output.type !== 'chunk') return []
        const { fileName, code, isEntry, imports, moduleIds } = output
        return [{ fileName, bytes: gzipSync(code).byteLength, isEntry, imports, modules: moduleIds }]
      })
      const css = outputs.filter((output) => output.type === 'asset' && output.fileName.endsWith('.css'))
      const cssBytes = css.reduce(
        (sum, output) => sum + (output.type === 'asset' ? gzipSync(output.source).byteLength : 0),
        0,
      )
      const sizes = sizesOf(chunks, cssBytes)
      const [first, styles] = sizes
      this.info(
        `first page ${first?.bytes} of ${first?.maxBytes} bytes, styles ${styles?.bytes} of ${styles?.maxBytes}`,
      )
      const problems = sizeProblems(sizes)
      if (problems.length > 0) this.error(`Over the budget of sizes. ${problems.join(' ')}`)
    },
  }
}
