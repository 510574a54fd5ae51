import type { Plugin, Rolldown } from 'vite'
import { withImports } from './with-imports.ts'

type Output = Rolldown.OutputChunk | Rolldown.OutputAsset

interface FirstLoadOptions {
  /** End of the path of the page that most visits begin with. */
  readonly page: string
  /** Addresses of calls that every page makes first. */
  readonly calls: readonly string[]
}

/**
 * Names in the head of the document what the first page needs after the entry: its scripts and styles, and the answers that it waits
 * for. A browser then asks for them together with the entry instead of after it has run.
 */
export function firstLoad({ page, calls }: FirstLoadOptions): Plugin {
  return {
    name: 'first-load',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle = {} }) => {
        const chunks = chunksOf(page, Object.values(bundle))
        const styles = new Set(chunks.flatMap(({ viteMetadata }) => [...(viteMetadata?.importedCss ?? [])]))
        return [
          ...calls.map((href) => link({ rel: 'preload', as: 'fetch', href })),
          ...chunks.map(({ fileName }) => link({ rel: 'modulepreload', href: `/${fileName}` })),
          // After those of the entry, which they build on.
          ...[...styles].map((file) => link({ rel: 'stylesheet', href: `/${file}` })),
        ]
      },
    },
  }
}

/** The mode must be the one of the later request, or the browser asks twice. */
function link(attrs: Readonly<Record<string, string>>) {
  return { tag: 'link', attrs: { ...attrs, crossorigin: '' }, injectTo: 'head' as const }
}

/** Chunks of a page without those of the entry, which the document names already. */
function chunksOf(page: string, outputs: readonly Output[]): readonly Rolldown.OutputChunk[] {
  const chunks = outputs.filter((output) => output.type === 'chunk')
  const importsOf = (name: string) => chunks.find(({ fileName }) => fileName === name)?.imports ?? []
  const namesOf = (which: (chunk: Rolldown.OutputChunk) => boolean) =>
    withImports(
      chunks.filter(which).map(({ fileName }) => fileName),
      importsOf,
    )
  const entry = namesOf(({ isEntry }) => isEntry)
  const own = namesOf(({ moduleIds }) => moduleIds.some((id) => id.endsWith(page)))
  return chunks.filter(({ fileName }) => own.has(fileName) && !entry.has(fileName))
}
