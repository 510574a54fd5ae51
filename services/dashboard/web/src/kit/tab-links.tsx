import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import styles from './tab-links.module.css'

/** Address and name of each page. */
export type TabPages = readonly (readonly [to: string, label: ReactNode])[]

interface TabLinksProps {
  /** What the pages are about, for screen readers. */
  readonly label: string
  readonly pages: TabPages
  /** Whether they are a part of a page, which has gaps of its own. */
  readonly isInside?: boolean
}

/** Pages that belong together, as links above them. */
export function TabLinks({ label, pages, isInside = false }: TabLinksProps): ReactNode {
  return (
    <nav className={styles.tabs} data-inside={isInside} aria-label={label}>
      {pages.map(([to, name]) => (
        <Link key={to} to={to} activeOptions={{ exact: true, includeSearch: false }} className={styles.tab ?? ''}>
          {name}
        </Link>
      ))}
    </nav>
  )
}

/** The same pages below a path, such as that of a workspace. */
export function pagesBelow(base: string, pages: TabPages): TabPages {
  return pages.map(([path, label]) => [`${base}${path}`, label])
}
