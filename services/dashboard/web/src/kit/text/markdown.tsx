import type { ReactNode } from 'react'
import ReactMarkdown, { type Components } from 'react-markdown'
import { linkAsText, withVisibleDirection } from './hostile-markdown.ts'
import styles from './text.module.css'

/** Text that follows no link and loads no image: who wrote it may want to learn who reads it. */
const components: Components = {
  a: ({ href, children }) => (
    <span>
      {children}
      <span className="dimmed">{linkAsText(href)}</span>
    </span>
  ),
  img: ({ alt, src }) => (
    <span className="dimmed">
      [image{alt ? `: ${alt}` : ''}
      {linkAsText(typeof src === 'string' ? src : undefined)}]
    </span>
  ),
}

const maxLength = 200_000

/** An answer of a model as formatted text. HTML in it is shown as the text that it is. */
export function Markdown({ text }: { readonly text: string }): ReactNode {
  const shown = withVisibleDirection(text)
  if (shown.length > maxLength) return <div className={styles.raw}>{shown}</div>
  return (
    <div className={styles.markdown} dir="auto">
      <ReactMarkdown components={components}>{shown}</ReactMarkdown>
    </div>
  )
}
