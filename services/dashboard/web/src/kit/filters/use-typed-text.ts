import { useState } from 'react'

interface TypedText {
  readonly text: string
  readonly setText: (text: string) => void
  /** Sends the text, unless it is what was sent last. */
  readonly send: () => void
}

/**
 * A text that somebody types, and that is in the address of the page once it is sent. The address changes later than the field
 * sends. What was typed in between stays; a text that nobody changed follows the address.
 *
 * @param value in the address
 * @param onSend called with the text without white space around it
 */
export function useTypedText(value: string, onSend: (text: string) => void): TypedText {
  const [{ text, sent, seen }, setState] = useState({ text: value, sent: value, seen: value })
  if (seen !== value) {
    const isTyped = text.trim() !== sent
    setState({ text: isTyped ? text : value, sent: value, seen: value })
  }
  return {
    text,
    setText: (next) => setState((before) => ({ ...before, text: next })),
    send: () => {
      const next = text.trim()
      if (next === sent) return
      setState((before) => ({ ...before, sent: next }))
      onSend(next)
    },
  }
}
