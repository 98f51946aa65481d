def find_capital(question, capitals, unknown):
    return next((capital for country, capital in capitals.items() if country in question), unknown)
