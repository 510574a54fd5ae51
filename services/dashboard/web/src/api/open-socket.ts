interface SocketEvents {
  onOpen(): void
  onText(text: string): void
  onBytes(bytes: ArrayBuffer): void
  onClosed(code: number): void
}

/** A WebSocket to the origin of the page. What is sent while it is not open is dropped. */
export interface OpenedSocket {
  send(data: string | ArrayBuffer): void
}

/** @param path such as `/media/call_…` */
export function openSocket(path: string, { onOpen, onText, onBytes, onClosed }: SocketEvents): OpenedSocket {
  const socket = new WebSocket(window.location.origin.replace(/^http/, 'ws') + path)
  socket.binaryType = 'arraybuffer'
  socket.onopen = onOpen
  socket.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data === 'string') onText(data)
    else onBytes(data)
  }
  socket.onclose = ({ code }) => onClosed(code)
  return {
    send(data) {
      if (socket.readyState === WebSocket.OPEN) socket.send(data)
    },
  }
}
