import { UnstyledButton } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { firstWords } from '../../../kit/conversation/message-lines.ts'
import styles from './grading.module.css'

const shortLength = 200

/** What makes an answer fail. It stays in sight. */
export function Definition({ prompt }: { readonly prompt: string }): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const isLong = prompt.length > shortLength
  return (
    <div className={styles.definition}>
      <strong>Fails when</strong>{' '}
      <span style={{ whiteSpace: 'pre-wrap' }}>{isLong && !isOpen ? firstWords(prompt, shortLength) : prompt}</span>{' '}
      {isLong && (
        <UnstyledButton className={styles.inline} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
          {isOpen ? 'shorter' : 'full prompt'}
        </UnstyledButton>
      )}
    </div>
  )
}
