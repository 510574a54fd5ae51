/** What a thread of local speech is asked. */
export type SpeechJob =
  | { readonly kind: 'recognize'; readonly pcm: Int16Array; readonly sampleRate: number }
  | { readonly kind: 'speak'; readonly text: string; readonly voice: string; readonly speed: number }

export type SpeechResult =
  | { readonly kind: 'recognized'; readonly text: string }
  | { readonly kind: 'spoken'; readonly pcm: Int16Array; readonly sampleRate: number }
  | { readonly kind: 'failed'; readonly reason: string }

export interface SpeechThreadData {
  /** The folder that `npm run speech` installs. */
  readonly folder: string
}
