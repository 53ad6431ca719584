export const endpoints = {
  title: 'Endpoints',
};
