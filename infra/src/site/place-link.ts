import path from 'node:path'

/** Where a link of a document leads on the site: to a page, or nowhere, because the site has documents only. */
export type PlacedLink =
  | { readonly kind: 'keep' }
  | { readonly kind: 'page'; readonly href: string }
  | { readonly kind: 'text' }

/**
 * Decides about a link of a document. A folder with a README is that page; source files and other folders are plain text.
 *
 * @param from the document, from the root of the repository
 * @param files all pages of the site, from its root
 */
export function placeLink(from: string, href: string, files: ReadonlySet<string>): PlacedLink {
  if (/^[a-z]+:|^#/i.test(href)) return { kind: 'keep' }
  const [target = '', ...anchor] = href.split('#')
  const found = path.posix.join(path.posix.dirname(from), target).replace(/\/$/, '')
  const page = [found, `${found}/README.md`, `${found}/index.md`].find((file) => files.has(file))
  if (page === undefined) return { kind: 'text' }
  const relative = path.posix.relative(path.posix.dirname(from), page).replace(/(README|index)\.md$/, '')
  return { kind: 'page', href: [`./${relative}`, ...anchor].join('#') }
}
