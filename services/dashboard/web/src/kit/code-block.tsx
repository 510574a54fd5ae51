import { ActionIcon } from '@mantine/core'
import type { ReactNode } from 'react'
import styles from './code-block.module.css'
import { useCopy } from './copy-text.tsx'
import { Icon } from './icon.tsx'

interface CodeBlockProps {
  readonly code: string
  /** What it is, for screen readers. */
  readonly label: string
}

/** Commands or raw text, with a button that copies it. */
export function CodeBlock({ code, label }: CodeBlockProps): ReactNode {
  const { copy, isCopied } = useCopy(code)
  return (
    <div className={styles.block}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: It scrolls, so the keyboard must reach it. */}
      <section className={styles.code} tabIndex={0} aria-label={label}>
        <pre>{code}</pre>
      </section>
      <ActionIcon
        variant="default"
        size={26}
        className={styles.copy}
        onClick={copy}
        aria-label={isCopied ? 'Copied' : 'Copy'}
      >
        <Icon name={isCopied ? 'check' : 'copy'} size={14} />
      </ActionIcon>
    </div>
  )
}
