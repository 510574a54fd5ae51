import type { ReactNode } from 'react'
import styles from './tab-links.module.css'

/** The class of a link in `TabLinks`. */
export const tabClass: string = styles.tab ?? ''

/** Pages that belong together, as links above them. */
export function TabLinks({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <nav className={styles.tabs} aria-label={label}>
      {children}
    </nav>
  )
}
