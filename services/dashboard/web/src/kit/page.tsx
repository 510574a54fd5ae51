import { Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import styles from './page.module.css'

interface PageProps {
  readonly title: string
  /** One sentence below the title: what the page is for. */
  readonly lead?: ReactNode
  /** Buttons at the right. */
  readonly actions?: ReactNode
  /** Above the title, such as the way back to the list. */
  readonly above?: ReactNode
  readonly children: ReactNode
}

/** The frame of a page: title, actions, content. It sets the title of the window. */
export function Page({ title, lead, actions, above, children }: PageProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Ratchet`
  }, [title])
  return (
    <div className={styles.page}>
      {above}
      <header className={styles.head}>
        <div>
          <Title order={1}>{title}</Title>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  )
}

interface CardProps {
  readonly title?: string
  readonly actions?: ReactNode
  readonly children: ReactNode
}

/** A part of a page with a heading. */
export function Card({ title, actions, children }: CardProps): ReactNode {
  return (
    <section className={styles.card}>
      {(title !== undefined || actions !== undefined) && (
        <header className={styles.cardHead}>
          {title !== undefined && <Title order={2}>{title}</Title>}
          {actions}
        </header>
      )}
      {children}
    </section>
  )
}

/** A form or text at a width that reads well. */
export function Column({ children }: { readonly children: ReactNode }): ReactNode {
  return <div className={styles.column}>{children}</div>
}
