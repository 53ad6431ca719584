export const theatre = {
  title: 'Theatre',
};
