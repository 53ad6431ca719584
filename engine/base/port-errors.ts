// Errors for operators when a port cannot be used. Each says why, and which setting to change.

export function adminPortError(cause: Error): Error {
  const text = `ADMIN_PORT: ${cause.message}. Choose another ADMIN_PORT or ADMIN_HOST, or end what listens there.`;
  return new Error(text, { cause });
}

export function grpcPortError(host: string, port: number, cause: Error): Error {
  const place = `${host}:${port}`;
  const text = `GRPC_PORT: cannot listen on ${place} (${cause.message}). Choose another GRPC_PORT, or end what listens there.`;
  return new Error(text, { cause });
}

export function peerPortError(host: string, port: number, cause: NodeJS.ErrnoException): Error {
  const text = `CLUSTER_ADDRESS: cannot listen on ${host}:${port}: ${cause.code ?? cause.message}. Is the port in use, or the address another machine's?`;
  return new Error(text, { cause });
}
