import path from 'node:path'
import { anchorOf, headings } from './headings.ts'

/** A document, and the files that its paths may name. */
export interface DocumentPaths {
  /** Path relative to the repository, with `/`. */
  readonly document: string
  readonly markdown: string
  /** Paths of all files, relative to the repository, with `/`. */
  readonly files: readonly string[]
}

const extension = /\.(ts|mjs|js|md|json|jsonl|ya?ml|prisma|sql|grit|csv|toml)$/
const sourceExtension = /\.(ts|mjs|prisma|sql|grit)$/
/** Files that are created at run time or by an operator. */
const runTimeFiles = /^(\.data\/|components\/external-secrets\/stores)/

/**
 * Finds the paths in a document that do not exist. Links (also to headings of the document) and code spans are checked.
 * A path in a code span may be relative to the repository, to the document's folder, or to the `src` beside the document.
 * A span that is only the name of a source file may mean any file below the document's folder, and any file at all when
 * the document is in `docs/`.
 *
 * @returns the paths as the document writes them
 */
export function brokenPaths({ document, markdown, files }: DocumentPaths): readonly string[] {
  const folder = path.posix.dirname(document)
  const known = new Set(files.flatMap(withFolders))
  const exists = (from: string, target: string) => known.has(path.posix.join(from, target).replace(/\/$/, ''))
  const prose = markdown.replaceAll(/^```[\s\S]*?^```/gm, '')
  const anchors = new Set(headings(markdown).map(anchorOf))
  const ownLinks = matches(prose, /\]\((#[^)\s]+)\)/g)
  const links = matches(prose, /\]\(([^)\s#]+)(?:#[^)]*)?\)/g).filter((target) => !/^[a-z]+:/.test(target))
  const spans = matches(prose, /`([\w./-]+)`/g)
  const paths = spans.filter((span) => isPath(span, known) && !runTimeFiles.test(span))
  const names = spans.filter((span) => sourceExtension.test(span) && !span.includes('/'))
  return [
    ...ownLinks.filter((target) => !anchors.has(target.slice(1))),
    ...links.filter((target) => !exists(folder, target)),
    ...paths.filter((span) => ![folder, `${folder}/src`, '.'].some((from) => exists(from, span))),
    ...names.filter((name) => !files.some((file) => isBelow(file, folder) && path.posix.basename(file) === name)),
  ]
}

function matches(text: string, pattern: RegExp): readonly string[] {
  return [...text.matchAll(pattern)].map(([, found = '']) => found)
}

/** A span with a slash is a path if it has a known extension, or begins with a folder of the repository. */
function isPath(span: string, known: ReadonlySet<string>): boolean {
  const [first = '', ...rest] = span.split('/')
  if (rest.length === 0 || first === '') return false
  return extension.test(span) || (known.has(first) && first !== 'docs' && !span.includes('@'))
}

function isBelow(file: string, folder: string): boolean {
  return folder === '.' || folder.startsWith('docs') || file.startsWith(`${folder}/`)
}

/** A file and all its parent folders. */
function withFolders(file: string): readonly string[] {
  const parts = file.split('/')
  return parts.map((_part, index) => parts.slice(0, index + 1).join('/'))
}
