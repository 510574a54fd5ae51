import { Title } from '@mantine/core'
import { type ReactNode, useEffect } from 'react'
import { Logo } from '../../shell/top-bar.tsx'
import styles from './frame.module.css'

interface FrameProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly children: ReactNode
}

/** A small page in the middle of the window. */
export function Frame({ title, lead, children }: FrameProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Ratchet`
  }, [title])
  return (
    <main className={styles.frame}>
      <div className={styles.brand}>
        <Logo />
        Ratchet
      </div>
      <section className={styles.box}>
        <div>
          <Title order={1}>{title}</Title>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {children}
      </section>
    </main>
  )
}
