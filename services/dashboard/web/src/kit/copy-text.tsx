import { UnstyledButton } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Icon } from './icon.tsx'

interface CopyTextProps {
  readonly text: string
  readonly label: string
}

/** An id or a key that a press copies. */
export function CopyText({ text, label }: CopyTextProps): ReactNode {
  const { copy, isCopied } = useCopy(text)
  return (
    <UnstyledButton
      onClick={copy}
      aria-label={`${isCopied ? 'Copied' : label}: ${text}`}
      style={{ display: 'inline-flex', alignItems: 'center', gap: 4, minHeight: 24, maxWidth: '100%' }}
    >
      <span className="code" style={{ overflowWrap: 'anywhere' }}>
        {text}
      </span>
      <Icon name={isCopied ? 'check' : 'copy'} size={14} />
    </UnstyledButton>
  )
}

/** Copies a text, and says for two seconds that it did. Without a clipboard (plain http) it selects nothing and says nothing. */
export function useCopy(text: string) {
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => {
    if (navigator.clipboard === undefined) return
    void navigator.clipboard.writeText(text).then(() => {
      setIsCopied(true)
      setTimeout(() => setIsCopied(false), 2_000)
    })
  }
  return { copy, isCopied }
}
