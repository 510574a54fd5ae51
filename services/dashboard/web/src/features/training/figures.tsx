import type { ReactNode } from 'react'
import styles from './training.module.css'

interface FiguresProps {
  /** What the figures are about, for screen readers. */
  readonly label: string
  readonly figures: readonly (readonly [name: string, value: ReactNode])[]
}

/** Names above their values, beside each other. */
export function Figures({ label, figures }: FiguresProps): ReactNode {
  return (
    <dl className={styles.figures} aria-label={label}>
      {figures.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
