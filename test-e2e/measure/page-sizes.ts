import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'

export interface PageSizes {
  /** Bytes compressed by gzip. */
  readonly firstLoad: number
  readonly styles: number
  /** The largest script that is loaded later, without the editor. */
  readonly largestChunk: number
  readonly editor: number
}

const isEditor = (text: string) => text.includes('cm-content')

/**
 * Sizes of the built pages.
 *
 * @param folder of the built pages
 * @param loaded addresses of what the first page loaded
 */
export function sizesOfPages(folder: string, loaded: readonly string[]): PageSizes {
  const files = globSync('**/*.{js,css}', { cwd: folder }).map((name) => {
    const content = readFileSync(path.join(folder, name))
    return { name, bytes: gzipSync(content).byteLength, isEditor: isEditor(content.toString()) }
  })
  const sum = (some: readonly { readonly bytes: number }[]) => some.reduce((total, { bytes }) => total + bytes, 0)
  const most = (some: readonly { readonly bytes: number }[]) => Math.max(0, ...some.map(({ bytes }) => bytes))
  const scripts = files.filter(({ name }) => name.endsWith('.js'))
  const isFirst = ({ name }: { readonly name: string }) => loaded.some((url) => new URL(url).pathname === `/${name}`)
  const later = scripts.filter((script) => !isFirst(script))
  return {
    firstLoad: sum(scripts.filter(isFirst)),
    styles: sum(files.filter(({ name }) => name.endsWith('.css'))),
    largestChunk: most(later.filter((script) => !script.isEditor)),
    editor: most(later.filter((script) => script.isEditor)),
  }
}
